export { composeMail, type Section } from './compose.ts'
export {
  createOutbox,
  deleteAccountMails,
  deleteMailsAbout,
  deleteMailsOf,
  mailEncrypter,
  type Outbox,
  OUTBOX,
} from './outbox.ts'
export { giveUpOldMails, sendMails } from './send.ts'
