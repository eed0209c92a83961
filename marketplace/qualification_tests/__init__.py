"""Qualification tests: their questions (QuestionForm), their answers, and the key that scores them (AnswerKey)."""
