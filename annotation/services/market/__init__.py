"""Publishing on a marketplace and paying there: `following` does what is missing, in one job that alone calls it."""
