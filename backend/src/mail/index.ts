export { createOutbox, mailSealer, type Outbox } from './outbox.ts'
export { giveUpOldMails, sendMails } from './send.ts'
export { deleteMailsAbout } from './store.ts'
