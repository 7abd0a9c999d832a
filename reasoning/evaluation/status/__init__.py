"""The task `status`: what a text says of the findings it mentions."""
