/**
 * Loaded once into the sandbox of workflows, before any of them. The platform's SDK takes a stack trace of every promise
 * a workflow makes, for a page that shows what it waits for: half of a wide fan-out's time there. The generic workflow
 * waits in three places only, and what a run waits for is in its log (`keelson why`).
 */
Error.stackTraceLimit = 0
