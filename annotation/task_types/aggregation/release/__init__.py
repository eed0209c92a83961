"""How the answers of the aggregation task become a dataset: rows, fields, figures, words and its own file formats."""
