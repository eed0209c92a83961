"""Which mentions in a document mean the same: documents, the files they are kept in, and how two readings compare."""
