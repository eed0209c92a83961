"""Task types that only the tests have: ratings of a text, and labelled spans in it. They go the whole way."""
