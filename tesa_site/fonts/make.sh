#!/bin/sh
# Makes the font files in tesa_site/static/tesa/fonts/ from two packages of Fontsource. Needs npm, and fonttools with brotli:
#   python3 -m venv /tmp/fonts && /tmp/fonts/bin/pip install fonttools==4.68.0 brotli && PATH=/tmp/fonts/bin:$PATH tesa_site/fonts/make.sh
# Each family becomes three files, which unicode-range in tokens.css fetches when a page needs them: core (ASCII and
# typographic punctuation), rest (Latin-1, arrows, signs) and ext (Latin Extended). Family names are dropped, because
# a changed Source Serif may not be called so; the copyright and the licence stay in the files and beside them.
set -eu
here=$(cd "$(dirname "$0")/../static/tesa/fonts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent @fontsource-variable/public-sans@5.3.0 @fontsource-variable/source-serif-4@5.3.1
for archive in *.tgz; do tar -xzf "$archive" && mv package "${archive%-*}"; done

core=20-7E,A0,A3,B0,B1,B7,D7,2013,2014,2018,2019,201C,201D,2022,2026,20AC,2212
rest=A1,A2,A4-AF,B2-B6,B8-D6,D8-FF,131,152-153,160-161,178,17D-17E,201A,201E,2030,2032,2039-203A,2044,2122,2190-2193,2248,2260,2264-2265
ext=100-130,132-151,154-15F,162-177,179-17C,17F-24F,1E00-1EFF

make() {  # family, part, source, characters, axes…
  name="$here/$1-$2.woff2" source=$3 characters=$4
  shift 4
  fonttools varLib.instancer "$source" "$@" --quiet --output instance.ttf
  pyftsubset instance.ttf --unicodes="$characters" --flavor=woff2 --output-file="$name" --name-IDs=0,13,14 \
    --layout-features=kern,liga,mark,mkmk,ccmp,locl,tnum,lnum,pnum --no-hinting --desubroutinize
}

sans=fontsource-variable-public-sans/files/public-sans
serif=fontsource-variable-source-serif-4/files/source-serif-4
make sans core $sans-latin-wght-normal.woff2 "$core" wght=400:600
make sans rest $sans-latin-wght-normal.woff2 "$rest" wght=400:600
make sans ext $sans-latin-ext-wght-normal.woff2 "$ext" wght=400:600
make serif core $serif-latin-standard-normal.woff2 "$core" wght=400:600 opsz=16
make serif rest $serif-latin-standard-normal.woff2 "$rest" wght=400:600 opsz=16
make serif ext $serif-latin-ext-standard-normal.woff2 "$ext" wght=400:600 opsz=16
ls -l "$here"
