-- Letters that came to runs just as they ended, or later: found at once among however many ended runs (P-21).
CREATE INDEX runs_ended_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');
