"""The handout of a lecture: what stands on its pages, how they break, and how they become a PDF."""
