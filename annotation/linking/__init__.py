"""Entity linkers measured on texts whose mentions are known, and mentions carried over to recognized speech."""
