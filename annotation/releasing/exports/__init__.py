"""File formats that releases of every task type can have. A task type lists its formats in `release.formats`."""
