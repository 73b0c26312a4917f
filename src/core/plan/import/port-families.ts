/**
 * The families of systems that Portarium's workflows may name. A family beyond them is known where a capability matrix of it
 * is given.
 */
export const PORT_FAMILIES = [
  'AdsPlatforms',
  'AnalyticsBi',
  'CommsCollaboration',
  'ComplianceGrc',
  'CrmSales',
  'CustomerSupport',
  'DocumentsEsign',
  'FinanceAccounting',
  'HrisHcm',
  'IamDirectory',
  'ItsmItOps',
  'MarketingAutomation',
  'MonitoringIncident',
  'PaymentsBilling',
  'Payroll',
  'ProcurementSpend',
  'ProjectsWorkMgmt',
  'RoboticsActuation',
  'SecretsVaulting',
  'SoftwareDev',
] as const
