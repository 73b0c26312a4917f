/** Codes of operations on many runs, and of what operators of a server look after. */
export const FLEET_PROBLEMS = {
  OPERATION_NOT_FOUND: {
    title: 'The tenant has no operation of this id.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'See `keelson fleet list` or `GET /v1/operations`.',
  },
  OPERATION_DUPLICATE: {
    title: 'Another operation was begun under this id.',
    retryable: false,
    did: 'The operation that exists goes on as it is; nothing new was begun.',
    todo: 'Choose a new `operationId` (a UUID) for another operation. The same request under the same id is no mistake.',
  },
  OPERATION_CHANGED: {
    title: 'Other runs match now than in the preview.',
    retryable: false,
    did: 'Nothing was begun, and no run was signalled.',
    todo: 'Ask for the preview again and look at it. To begin with whatever matches then, leave `previewSha256` out.',
  },
  OPERATION_TOO_LARGE: {
    title: 'More runs match than one operation takes.',
    retryable: false,
    did: 'Nothing was begun.',
    todo: 'Narrow the filter, for example by plan or by `createdFrom` and `createdTo`, and begin several operations.',
  },
  ALERT_NOT_DELIVERED: {
    title: 'An alert did not reach its webhook.',
    retryable: false,
    did: 'It was tried several times, unless the address is not allowed. The alert itself is in the log of its run, and `keelson alerts` shows it.',
    todo: 'Look whether the receiver answers with 2xx, and whether its address is public or named in `alerts.webhook.allow`.',
  },
  DEAD_LETTER_NOT_FOUND: {
    title: 'The subscriber has no such dead letter.',
    retryable: false,
    did: 'Nothing was changed. It may have been delivered or dropped meanwhile.',
    todo: 'See `keelson feed dead-letters <subscriber>` or `GET /v1/feed/subscribers/{subscriber}/dead-letters`.',
  },
  SUBSCRIBER_NOT_FOUND: {
    title: 'Nobody follows the logs under this name.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'See `keelson feed`. A subscriber is there once it has taken its first events.',
  },
} as const
