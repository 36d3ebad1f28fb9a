export { mailFeature } from './feature.ts'
export { composeMail, type Section } from './compose.ts'
export {
  createOutbox,
  deleteAccountMails,
  deleteMailsAbout,
  deleteMailsOf,
  mailEncrypter,
  NO_ORGANIZATION,
  type Outbox,
  type Unconfirmed,
} from './outbox.ts'
export { CONFIRM_PATH, type ConfirmLinks, createConfirmLinks } from './confirm-link.ts'
export { isConfirmedAddress, takeUnconfirmedMail } from './unconfirmed-store.ts'
