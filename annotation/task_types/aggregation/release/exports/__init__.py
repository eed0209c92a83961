"""File formats that only releases of aggregations have: CSV tables, the original study's columns, MTurk results."""
