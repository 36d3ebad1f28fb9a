export { CreateAlertSourceBody, PatchAlertSourceBody } from '@vedette/shared'
