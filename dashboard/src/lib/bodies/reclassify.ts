export { CreateReclassificationBody } from '@vedette/shared'
