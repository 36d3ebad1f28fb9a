import type { signIn as english } from '../en/sign-in.ts'
import type { Translation } from '../translation.ts'

export const signIn: Translation<typeof english> = {
  setup: {
    title: 'Vedette einrichten',
    lead: 'Das erste Konto und die erste Organisation anlegen. Der Host, auf dem Vedette läuft, wird von selbst hinzugefügt.',
    code: 'Einrichtungscode',
    codeHint: 'Beim Start ausgegeben, in der URL nach „ready“',
    email: 'E-Mail',
    organization: 'Organisation',
    privateTargets: 'Prüfung privater Adressen erlauben',
    privateTargetsHint: 'Öffnet 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 und fc00::/7',
    submit: 'Konto anlegen',
  },
  login: {
    title: 'Anmelden',
    email: 'E-Mail',
    password: 'Passwort',
    code: 'Code',
    codeHint: 'Aus der Authenticator-App, oder ein Wiederherstellungscode',
    codeRequired:
      'Die Zwei-Faktor-Anmeldung ist aktiv. Den Code aus der Authenticator-App oder einen Wiederherstellungscode eingeben.',
    remember: 'Auf diesem Gerät 30 Tage angemeldet bleiben',
    submit: 'Anmelden',
    byProvider: 'Single Sign-on verwenden',
    noProvider: 'Kein Anbieter für diese E-Mail',
    resetLink: 'Passwort zurücksetzen',
    sessionEnded: 'Die Sitzung ist beendet. Erneut anmelden.',
    signedOutElsewhere: 'In einem anderen Tab abgemeldet.',
    logoutFailed:
      'In diesem Tab abgemeldet. Vedette war nicht erreichbar: erneut anmelden, um die Sitzung in den Einstellungen zu beenden.',
  },
  reset: {
    title: 'Passwort zurücksetzen',
    lead: 'Ein Link kommt, wenn zu der Adresse ein Konto gehört und diese Installation E-Mails versendet.',
    submit: 'Link senden',
    sent: 'Falls zu der Adresse ein Konto gehört, ist ein Link unterwegs. Er gilt einmal, eine Stunde lang.',
    noMail: 'Keine E-Mail? Ein Betreiber kann vedette user reset-password ausführen.',
    newTitle: 'Neues Passwort wählen',
    newLead: 'Das beendet alle Sitzungen des Kontos.',
    newPassword: 'Neues Passwort',
    newSubmit: 'Speichern und anmelden',
    back: 'Zurück zur Anmeldung',
  },
  invitation: {
    title: 'Einladung annehmen',
    lead: 'Wer schon ein Konto hat, gibt dessen Passwort ein. Sonst ein Passwort für das neue Konto wählen.',
    submit: 'Einladung annehmen',
    replace: 'Das Konto dieser E-Mail gehört jemand anderem: ein neues anlegen',
    invalid: 'Diese Einladung wurde benutzt, widerrufen oder ist abgelaufen. Um eine neue bitten.',
  },
  verifyEmail: {
    title: 'E-Mail bestätigen',
    lead: 'Bestätigt, dass diese E-Mail zum Vedette-Konto gehört.',
    submit: 'Bestätigen',
    done: (email) => `${email} ist bestätigt.`,
  },
  newOrganization: {
    title: 'Organisation anlegen',
    lead: 'Noch keine Mitgliedschaft in einer Organisation. Eine anlegen oder einen Einladungslink öffnen.',
    name: 'Name',
    submit: 'Organisation anlegen',
  },
  passwordHint: (min, max) => `${min} bis ${max} Zeichen. Gut sind mehrere Wörter.`,
  missing: (field) => `${field} fehlt.`,
  tooShort: (field, length) => `${field}: mindestens ${length} Zeichen.`,
  invalid: (field, reason) => `${field}: ${reason}`,
}
