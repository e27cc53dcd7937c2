"""An index over the log: a cache that makes questions about a long record fast."""

from guardhouse.audit.index.answers import Bucket, Offers, Page, Timeline, Waits
from guardhouse.audit.index.asking import By
from guardhouse.audit.index.feeding import Progress
from guardhouse.audit.index.follower import IndexFollower
from guardhouse.audit.index.index import AuditIndex

__all__ = ["AuditIndex", "Bucket", "By", "IndexFollower", "Offers", "Page", "Progress", "Timeline", "Waits"]
