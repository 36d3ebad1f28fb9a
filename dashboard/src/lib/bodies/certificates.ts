export { CreateCertificateBody } from '@vedette/shared'
