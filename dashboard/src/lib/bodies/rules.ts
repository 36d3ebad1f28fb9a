export { CreateAlertRuleBody } from '@vedette/shared'
