"""From raw answers to phrases: an ordered, versioned pipeline of small named rules."""
