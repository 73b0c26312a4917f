/** Codes of those who ask a server: the client of the package, and commands with `--server`. */
export const CLIENT_PROBLEMS = {
  SERVER_UNREACHABLE: {
    title: 'The server does not answer.',
    retryable: true,
    did: 'The request was sent once. Of a request that changes something it is not known whether the server has carried it out.',
    todo: 'Check the address and whether the server runs: `keelson serve` prints its address. Repeat a start with the same request id or Idempotency-Key.',
  },
  SERVER_NOT_KEELSON: {
    title: 'What answers at this address is not a Keelson server.',
    retryable: false,
    did: 'The answer was not used.',
    todo: 'Check the address. A proxy before the server may have answered in its place, or leads to another address.',
  },
  SERVER_REFUSED: {
    title: 'The server refused the request with a code that this version does not know.',
    retryable: false,
    did: 'The message has the code and the text of the server.',
    todo: 'Read the message; a client of the same version as the server knows the code.',
  },
  LOGIN_OVER: {
    title: 'The login to the server is over.',
    retryable: false,
    did: 'Nothing was asked of the server.',
    todo: 'Log in again: `keelson login --server <url>`.',
  },
  NOT_FROM_AFAR: {
    title: 'This command works on the machine that has the runs, not through a server.',
    retryable: false,
    did: 'Nothing was asked of the server.',
    todo: 'Do what the message says, or run the command where the state folder is, without --server and KEELSON_SERVER.',
  },
} as const
