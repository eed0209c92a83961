"""How good the answers are: agreement, consensus, doubt, reviews, and evidence about workers. Pure Python."""
