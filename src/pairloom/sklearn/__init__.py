"""For scikit-learn: documents as rows of numbers (documents.py), and the next item of a session (items.py)."""

from pairloom.sklearn.documents import DocumentVectorizer
from pairloom.sklearn.items import ItemRecommender

__all__ = ["DocumentVectorizer", "ItemRecommender"]
