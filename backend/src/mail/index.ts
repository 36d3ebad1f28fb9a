export { createOutbox, deleteMailsAbout, mailEncrypter, type Outbox } from './outbox.ts'
export { giveUpOldMails, sendMails } from './send.ts'
