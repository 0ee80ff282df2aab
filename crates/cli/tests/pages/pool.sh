# Two lessons about retries, one about a pool with a spike and an entity, and a note.
@ set KEN_NOW=2026-10-12T09:00:00Z
ken add lesson 'Retry with full jitter, or all clients come back at once.' --evidence docs/outage.md --anchor src/client.py#Client.send --verify 'grep uniform src/client.py' --tag http/retry
ken add lesson 'Log the request id with every retry, or two attempts look like two requests.' --evidence docs/outage.md --anchor src/client.py --verify 'read the log' --tag http/logging
@ set KEN_NOW=2026-11-02T09:00:00Z
@ set KEN_ACTOR=agent:builder
ken add lesson 'A pool without a timeout waits for ever when the database is restarted. Give connect() five seconds.' --title 'Connections need a timeout' --evidence docs/outage.md --anchor src/client.py --verify 'grep -n timeout src' --tag db/pool
ken add spike --title 'One shared pool serves all workers as well as a pool each.' --hypothesis 'One shared pool serves all workers as well as a pool each.' --outcome rejected --decision 'A pool per worker: a shared one made requests wait up to 900 ms.' --evidence docs/outage.md --anchor src/client.py --verify 'run the load test'
@ set KEN_ACTOR=human:Ada
ken add entity --name billing --description 'Writes invoices at night.' --subtype service --evidence docs/outage.md
ken note 'The pool of the staging database was slow this morning.'
@ set KEN_NOW=2026-11-16T09:00:00Z
