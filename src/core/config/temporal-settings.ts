/** Rows of the table of settings: the Temporal server of the engine `temporal`. Variables are those that Temporal's own tools read, where they have one. */
export const TEMPORAL_SETTINGS = {
  'temporal.address': {
    kind: 'text',
    about: 'The Temporal server of the engine temporal, as host:port.',
    default: '127.0.0.1:7233',
    variable: 'TEMPORAL_ADDRESS',
  },
  'temporal.namespace': {
    kind: 'text',
    about: 'The namespace of Temporal.',
    default: 'default',
    variable: 'TEMPORAL_NAMESPACE',
  },
  'temporal.taskQueue': {
    kind: 'text',
    about: 'The first part of the task queues; the tenant is the second.',
    default: 'dvt-temporal',
    variable: 'TEMPORAL_TASK_QUEUE',
  },
  'temporal.tenants': {
    kind: 'list',
    about: 'Tenants whose queues this process listens to with the duty engine, beside `local`.',
    default: [],
    variable: 'KEELSON_TEMPORAL_TENANTS',
  },
  'temporal.queues': {
    kind: 'list',
    about: 'Further queues it listens to: those that plans name for their steps (`dispatch.taskQueue`).',
    default: [],
    variable: 'KEELSON_TEMPORAL_QUEUES',
  },
  'temporal.apiKey': {
    kind: 'text',
    about: 'The API key for that server. It goes over TLS only; keep it out of the file.',
    variable: 'TEMPORAL_API_KEY',
    isSecret: true,
  },
  'temporal.tls.enabled': {
    kind: 'flag',
    about: 'TLS to that server. Certificates of its own turn it on too.',
    default: false,
    variable: 'TEMPORAL_TLS',
  },
  'temporal.tls.certificate': {
    kind: 'text',
    about: 'The file with the certificate of this client (PEM).',
    variable: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
  },
  'temporal.tls.key': {
    kind: 'text',
    about: 'The file with the key of that certificate (PEM).',
    variable: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
  },
  'temporal.tls.rootCertificate': {
    kind: 'text',
    about: 'The file with the certificate of the authority that signed that of the server (PEM).',
    variable: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  },
  'temporal.tls.serverName': {
    kind: 'text',
    about: 'The name that the certificate of the server has.',
    variable: 'TEMPORAL_TLS_SERVER_NAME',
  },
} as const
