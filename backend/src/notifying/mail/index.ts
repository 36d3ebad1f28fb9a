export { mailFeature } from './feature.ts'
export { composeMail, type Section } from './compose.ts'
export {
  createOutbox,
  deleteAccountMails,
  deleteMailsAbout,
  deleteMailsOf,
  mailEncrypter,
  type Outbox,
} from './outbox.ts'
export { takeUnconfirmedMail } from './unconfirmed-store.ts'
