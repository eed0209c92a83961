"""Follow-ups: what people said in a campaign becomes the items of the next."""
