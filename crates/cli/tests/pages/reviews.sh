# Findings of flux-drive and of a WFC reviewer; committed.
mkdir -p src docs config/flux-drive/knowledge wfc/references/reviewers/security
printf 'import random\n\n\ndef send(request):\n    return retry(request, random.uniform(0, 2))\n' > src/client.py
printf 'What reviews found, one file each.\n' > config/flux-drive/knowledge/notes.txt
cat > config/flux-drive/knowledge/retry-without-jitter.md <<'END'
---
lastConfirmed: 2026-09-30
provenance: independent
---
Clients that retry without jitter come back at once.

Evidence: `src/client.py`, read after the outage.
Verify: grep -n uniform src/client.py
END
cat > config/flux-drive/knowledge/queues-need-a-bound.md <<'END'
---
lastConfirmed: 2026-10-02
provenance: primed
reviewer: safety
---
A queue without a bound hides that its reader has died.

Evidence: `src/worker.py`, read in a review.
Verify: 1. Look for the constructor. 2. It names a length.
END
cat > config/flux-drive/knowledge/deadlines.md <<'END'
---
lastConfirmed: 2026-10-04
provenance: independent
---
A request without a deadline can hold a worker for good.

Evidence: an outage in May.
Verify: grep -n timeout src/client.py
END
cat > wfc/references/reviewers/security/KNOWLEDGE.md <<'END'
# KNOWLEDGE.md -- Security Reviewer

## Patterns Found

- [2026-09-14] The name of a passenger in `src/client.py` reached the log. (Source: review-41)

## False Positives to Avoid

- [2026-09-20] The address of the gateway is no secret. (Source: developer-feedback)
END
git add -A
git commit -q -m 'reviews: what they found'
