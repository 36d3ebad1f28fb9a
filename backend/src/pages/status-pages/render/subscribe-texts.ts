import type { PageLanguage } from '@vedette/shared'

/** What people read on the pages and in the mails of their subscription. */
export interface SubscribeTexts {
  heading: string
  intro: string
  byEmail: string
  email: string
  subscribe: string
  /** The same for known and unknown addresses. */
  sent: string
  invalid: string
  full: string
  byBrowser: string
  browserIntro: string
  browser: string
  /** The browser did not allow it, or found no push service. */
  browserFault: string
  refused: string
  byWebhook: string
  webhookIntro: string
  url: string
  posted: string
  invalidUrl: string
  confirmHeading: string
  confirmIntro: string
  confirm: string
  manageHeading: string
  manageIntro: string
  all: string
  save: string
  saved: string
  unsubscribe: string
  unsubscribed: string
  unknown: string
  confirmMail(page: string): { subject: string; text: string; hint: string }
  knownMail(page: string): { subject: string; text: string }
  firstPush(page: string): { title: string; text: string }
  why(page: string): string
  /** Of the link in a chat. */
  open: string
}

const en: SubscribeTexts = {
  heading: 'Subscribe',
  intro: 'You are notified when an incident or a maintenance is announced, and when it is updated.',
  byEmail: 'By e-mail',
  email: 'E-mail address',
  subscribe: 'Subscribe',
  sent: 'We have sent you an e-mail. Open its link to go on. It is valid for 24 hours.',
  invalid: 'This is not an e-mail address.',
  full: 'This page takes no further subscribers.',
  byBrowser: 'In this browser',
  browserIntro: 'Notifications appear while the browser runs, also when this page is closed.',
  browser: 'Notify me in this browser',
  browserFault: 'The browser does not allow notifications, or cannot reach its push service.',
  refused: 'The push service of this browser did not accept the subscription.',
  byWebhook: 'By webhook',
  webhookIntro: 'Your service gets each post as JSON. It first gets a link, which you open to confirm.',
  url: 'HTTPS address of your service',
  posted: 'We have sent a link to this address. Open it to go on. It is valid for 24 hours.',
  invalidUrl: 'This is not an HTTPS address.',
  confirmHeading: 'Confirm your subscription',
  confirmIntro: 'Nothing is sent to you before you confirm.',
  confirm: 'Confirm',
  manageHeading: 'Your subscription',
  manageIntro: 'Choose what you want to be notified of. Without a choice you are notified of everything.',
  all: 'Components',
  save: 'Save',
  saved: 'Saved.',
  unsubscribe: 'Unsubscribe',
  unsubscribed: 'You are unsubscribed.',
  unknown: 'This subscription does not exist, or has ended.',
  confirmMail: (page) => ({
    subject: `Confirm your subscription to ${page}`,
    text: `Somebody has subscribed this address to ${page}. To confirm, open this link:`,
    hint: 'If it was not you, do nothing: the address is deleted after 24 hours.',
  }),
  knownMail: (page) => ({
    subject: `Your subscription to ${page}`,
    text: `This address is subscribed to ${page}. To change or end the subscription, open this link:`,
  }),
  firstPush: (page) => ({ title: page, text: 'This browser now shows notifications of incidents and maintenance.' }),
  why: (page) => `You get this e-mail because you are subscribed to ${page}. To choose components or to unsubscribe:`,
  open: 'Open the status page',
}

const de: SubscribeTexts = {
  heading: 'Abonnieren',
  intro: 'Sie werden benachrichtigt, wenn eine Störung oder Wartung angekündigt wird und wenn es Neues dazu gibt.',
  byEmail: 'Per E-Mail',
  email: 'E-Mail-Adresse',
  subscribe: 'Abonnieren',
  sent: 'Wir haben Ihnen eine E-Mail geschickt. Bitte öffnen Sie ihren Link. Er gilt 24 Stunden.',
  invalid: 'Das ist keine E-Mail-Adresse.',
  full: 'Diese Seite nimmt keine weiteren Abonnements an.',
  byBrowser: 'In diesem Browser',
  browserIntro: 'Benachrichtigungen erscheinen, solange der Browser läuft, auch wenn diese Seite geschlossen ist.',
  browser: 'In diesem Browser benachrichtigen',
  browserFault: 'Der Browser erlaubt keine Benachrichtigungen oder erreicht seinen Push-Dienst nicht.',
  refused: 'Der Push-Dienst dieses Browsers hat das Abonnement nicht angenommen.',
  byWebhook: 'Per Webhook',
  webhookIntro: 'Ihr Dienst erhält jede Meldung als JSON. Zuerst erhält er einen Link, den Sie zum Bestätigen öffnen.',
  url: 'HTTPS-Adresse Ihres Dienstes',
  posted: 'Wir haben einen Link an diese Adresse geschickt. Bitte öffnen Sie ihn. Er gilt 24 Stunden.',
  invalidUrl: 'Das ist keine HTTPS-Adresse.',
  confirmHeading: 'Abonnement bestätigen',
  confirmIntro: 'Bevor Sie bestätigen, wird Ihnen nichts geschickt.',
  confirm: 'Bestätigen',
  manageHeading: 'Ihr Abonnement',
  manageIntro: 'Wählen Sie, worüber Sie benachrichtigt werden. Ohne Auswahl werden Sie über alles benachrichtigt.',
  all: 'Komponenten',
  save: 'Speichern',
  saved: 'Gespeichert.',
  unsubscribe: 'Abbestellen',
  unsubscribed: 'Ihr Abonnement ist beendet.',
  unknown: 'Dieses Abonnement gibt es nicht oder nicht mehr.',
  confirmMail: (page) => ({
    subject: `Abonnement von ${page} bestätigen`,
    text: `Diese Adresse wurde für ${page} angemeldet. Zum Bestätigen öffnen Sie diesen Link:`,
    hint: 'Wenn Sie das nicht waren, tun Sie nichts: Die Adresse wird nach 24 Stunden gelöscht.',
  }),
  knownMail: (page) => ({
    subject: `Ihr Abonnement von ${page}`,
    text: `Diese Adresse hat ${page} abonniert. Zum Ändern oder Abbestellen öffnen Sie diesen Link:`,
  }),
  firstPush: (page) => ({ title: page, text: 'Dieser Browser zeigt jetzt Benachrichtigungen über Störungen und Wartungen.' }),
  why: (page) => `Sie erhalten diese E-Mail, weil Sie ${page} abonniert haben. Zum Auswählen von Komponenten oder Abbestellen:`,
  open: 'Statusseite öffnen',
}

export const SUBSCRIBE_TEXTS: Record<PageLanguage, SubscribeTexts> = { en, de }
