"""How evidence is weighed: interpretation, answers, citations, diagnosis."""
