/**
 * The families of systems that Portarium knows, and what can be done in each: its parser refuses every other name. They are
 * names of a published interface; a capability matrix that is brought along may add to them.
 */

/** By family and by entity: its verbs. */
const FAMILIES: { readonly [family: string]: { readonly [entity: string]: string } } = {
  FinanceAccounting: {
    account: 'read',
    journal: 'read write',
    invoice: 'read write',
    bill: 'read write',
    vendor: 'read',
    reconciliation: 'write',
    report: 'read',
  },
  PaymentsBilling: {
    charge: 'read write',
    refund: 'write',
    subscription: 'read write',
    invoice: 'read write',
    'payment-method': 'read',
    payout: 'write',
    balance: 'read',
  },
  ProcurementSpend: {
    po: 'read write approve',
    expense: 'read write approve',
    vendor: 'read write',
    rfq: 'write',
    contract: 'read',
  },
  HrisHcm: {
    employee: 'read write',
    department: 'read',
    position: 'read',
    'time-off': 'read write',
    benefit: 'read',
    org: 'read',
  },
  Payroll: {
    payroll: 'read write approve',
    paystub: 'read',
    tax: 'read',
    schedule: 'read',
    deduction: 'read',
    earning: 'read',
    contractor: 'read',
  },
  CrmSales: {
    party: 'read write',
    company: 'read write',
    opportunity: 'read write',
    pipeline: 'read',
    activity: 'read write',
    note: 'read write',
  },
  CustomerSupport: {
    ticket: 'read write assign',
    agent: 'read',
    comment: 'read write',
    tag: 'read write',
    kb: 'read',
    sla: 'read',
    csat: 'read',
  },
  ItsmItOps: {
    incident: 'read write',
    change: 'read write approve',
    asset: 'read write',
    cmdb: 'read',
    problem: 'read write',
    sr: 'read',
  },
  IamDirectory: {
    user: 'read write',
    group: 'read write',
    role: 'read write',
    app: 'read',
    auth: 'write',
    mfa: 'write',
    audit: 'read',
  },
  SecretsVaulting: {
    secret: 'read write rotate',
    cert: 'read write',
    crypto: 'read write',
    key: 'read write',
    audit: 'read',
    policy: 'write',
  },
  MarketingAutomation: {
    contact: 'read write',
    list: 'read write',
    campaign: 'read write send',
    stats: 'read',
    automation: 'read write',
    form: 'read',
  },
  AdsPlatforms: {
    campaign: 'read write',
    'ad-group': 'read write',
    ad: 'read write',
    stats: 'read',
    audience: 'read write',
    budget: 'read write',
    keyword: 'read',
  },
  CommsCollaboration: {
    message: 'read write',
    channel: 'read write',
    user: 'read',
    email: 'read write',
    meeting: 'read write',
    calendar: 'read write',
    file: 'read write',
  },
  ProjectsWorkMgmt: {
    project: 'read write',
    task: 'read write assign',
    board: 'read',
    sprint: 'read write',
    milestone: 'read',
    comment: 'read write',
    label: 'read',
    time: 'read write',
  },
  DocumentsEsign: {
    document: 'read write',
    folder: 'read write',
    share: 'write',
    permission: 'read write',
    esign: 'read write',
    template: 'read write',
    audit: 'read',
  },
  AnalyticsBi: {
    dashboard: 'read',
    report: 'read write export',
    query: 'read write',
    datasource: 'read write',
    dataset: 'read write',
    metric: 'read',
    user: 'read',
    share: 'write',
  },
  MonitoringIncident: {
    alert: 'read write',
    incident: 'read write',
    schedule: 'read write',
    escalation: 'read',
    service: 'read',
    statuspage: 'write',
    maintenance: 'read',
    notification: 'write',
  },
  ComplianceGrc: {
    control: 'read write',
    risk: 'read write',
    policy: 'read write',
    audit: 'read write',
    finding: 'read write',
    evidence: 'read write',
    framework: 'read write',
  },
  RoboticsActuation: {
    robot: 'execute_action cancel_action stop estop_request get_state get_diagnostics',
    actuator: 'set_state get_state',
  },
  SoftwareDev: {
    pr: 'read write',
    deployment: 'read write',
    repository: 'read',
    commit: 'read',
    workflow: 'read',
    metrics: 'read',
  },
}

export const PORT_FAMILIES: readonly string[] = Object.keys(FAMILIES)

/** Written as `<entity>:<verb>`; none for an unknown family. */
export function capabilitiesOf(family: string): readonly string[] {
  const entities = Object.hasOwn(FAMILIES, family) ? FAMILIES[family] : undefined
  return Object.entries(entities ?? {}).flatMap(([entity, verbs]) =>
    verbs.split(' ').map((verb) => `${entity}:${verb}`),
  )
}
