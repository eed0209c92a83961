"""From reviewed answers to a dataset one can publish: recipe, rows, statistics, hash, exports. Pure Python."""
