/** Mails to people, and what chats and channels say next to the incident. */
export const MAILS = {
  // The weekly summary.
  'Weekly summary of {name}: {from} to {to}': 'Wochenbericht von {name}: {from} bis {to}',
  'The week of {name} from {from} to {to} (UTC).': 'Die Woche von {name} vom {from} bis {to} (UTC).',
  'You turned this mail on in the settings of your account. This link turns it off:':
    'Du hast diese E-Mail in den Einstellungen deines Kontos eingeschaltet. Dieser Link schaltet sie ab:',
  'There were no checks.': 'Es gab keine Prüfungen.',
  '{#p} % of all checks of {#n} monitor.': '{#p} % aller Prüfungen von {#n} Monitor.',
  '{#p} % of all checks of {#n} monitors.': '{#p} % aller Prüfungen von {#n} Monitoren.',
  '{#p} % of all checks of {#n} monitor. The lowest:': '{#p} % aller Prüfungen von {#n} Monitor. Am niedrigsten:',
  '{#p} % of all checks of {#n} monitors. The lowest:': '{#p} % aller Prüfungen von {#n} Monitoren. Am niedrigsten:',
  '{#n} opened; in sum they lasted {~span}.': '{#n} geöffnet; zusammen dauerten sie {~span}.',
  'By the 95th percentile of response times.': 'Nach dem 95. Perzentil der Antwortzeiten.',
  'Something is found on {#n} server now. The worst:': 'Bei {#n} Server liegt jetzt etwas vor. Am schlimmsten:',
  'Something is found on {#n} servers now. The worst:': 'Bei {#n} Servern liegt jetzt etwas vor. Am schlimmsten:',
  'No incident is open.': 'Kein Vorfall ist offen.',
  'Open incidents: {#n}.': 'Offene Vorfälle: {#n}.',
  // On call.
  'You are on duty: {name}': 'Du hast Bereitschaft: {name}',
  'You are on duty in the schedule "{name}" of {organization}.':
    'Du hast Bereitschaft im Bereitschaftsplan „{name}“ von {organization}.',
  'You are on duty in the schedule "{name}" of {organization}. Before you it was {person}.':
    'Du hast Bereitschaft im Bereitschaftsplan „{name}“ von {organization}. Vor dir war es {person}.',
  'You are on duty in the schedule "{name}" of {organization} until {at}.':
    'Du hast Bereitschaft im Bereitschaftsplan „{name}“ von {organization} bis {at}.',
  'You are on duty in the schedule "{name}" of {organization} until {at}. Before you it was {person}.':
    'Du hast Bereitschaft im Bereitschaftsplan „{name}“ von {organization} bis {at}. Vor dir war es {person}.',
  'With you: {people}.': 'Mit dir: {people}.',
  'Your duty has ended: {name}': 'Deine Bereitschaft ist zu Ende: {name}',
  'Your duty in the schedule "{name}" of {organization} has ended. {~now}':
    'Deine Bereitschaft im Bereitschaftsplan „{name}“ von {organization} ist zu Ende. {~now}',
  'The schedule has a setting that turns these mails off.': 'Im Bereitschaftsplan lassen sich diese E-Mails abschalten.',
  // Accounts.
  '{~change} (Vedette)': '{~change} (Vedette)',
  '{~change}: {at} UTC, from {~address}.': '{~change}: {at} UTC, von {~address}.',
  'All sessions have ended. If it was not you, reset your password.':
    'Alle Sitzungen wurden beendet. Wenn du es nicht warst, setze dein Passwort zurück.',
  'Your other sessions have ended. If it was not you, ask the operator to run vedette user reset-totp, and change your password.':
    'Deine anderen Sitzungen wurden beendet. Wenn du es nicht warst, bitte den Betreiber um vedette user reset-totp und ändere dein Passwort.',
  'If it was not you, change your password.': 'Wenn du es nicht warst, ändere dein Passwort.',
  'It signs in without your password. If it was not you, remove it under Settings, Security, and change your password.':
    'Er meldet ohne dein Passwort an. Wenn du es nicht warst, entferne ihn unter Einstellungen, Sicherheit, und ändere dein Passwort.',
  'Its sessions have ended. If it was not you, change your password.':
    'Seine Sitzungen wurden beendet. Wenn du es nicht warst, ändere dein Passwort.',
  'Somebody entered five wrong codes after your right password. If it was not you, change your password.':
    'Jemand hat nach deinem richtigen Passwort fünf falsche Codes eingegeben. Wenn du es nicht warst, ändere dein Passwort.',
  'A device that you keep signed in sent a cookie that had been replaced: somebody may have copied it. If you do not know the address, change your password.':
    'Ein Gerät, auf dem du angemeldet bleibst, hat ein ersetztes Cookie gesendet: jemand könnte es kopiert haben. Wenn du die Adresse nicht kennst, ändere dein Passwort.',
  'You created an API key. If it was not you, revoke it in the settings, and change your password.':
    'Du hast einen API-Schlüssel erstellt. Wenn du es nicht warst, widerrufe ihn in den Einstellungen und ändere dein Passwort.',
  'New sign-in to Vedette': 'Neue Anmeldung bei Vedette',
  'Somebody, most likely you, signed in to your account at Vedette from a new place.':
    'Jemand, vermutlich du, hat sich von einem neuen Ort bei deinem Konto bei Vedette angemeldet.',
  'When: {at} UTC': 'Wann: {at} UTC',
  'Address: {ip}': 'Adresse: {ip}',
  'Program: {~name}': 'Programm: {~name}',
  'If it was you, there is nothing to do. If not, change your password in the settings of your account: that ends all sessions.':
    'Wenn du es warst, ist nichts zu tun. Sonst ändere dein Passwort in den Einstellungen deines Kontos: das beendet alle Sitzungen.',
  'Choose a new password for Vedette': 'Neues Passwort für Vedette wählen',
  'Somebody, most likely you, asked for a new password for your account at Vedette. Choose it here:':
    'Jemand, vermutlich du, wünscht ein neues Passwort für dein Konto bei Vedette. Hier wählst du es:',
  'The link works once and for one hour. If it was not you, ignore this mail: nothing has changed.':
    'Der Link gilt einmal und eine Stunde lang. Wenn du es nicht warst, ignoriere diese E-Mail: nichts hat sich geändert.',
  'Confirm your e-mail': 'E-Mail-Adresse bestätigen',
  'Confirm that this e-mail belongs to your account at Vedette:':
    'Bestätige, dass diese E-Mail-Adresse zu deinem Konto bei Vedette gehört:',
  'The link works once and for 24 hours. If you did not ask for it, ignore this mail.':
    'Der Link gilt einmal und 24 Stunden lang. Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail.',
  'A new e-mail for your account': 'Eine neue E-Mail-Adresse für dein Konto',
  'Somebody, most likely you, asked to change the e-mail of your account at Vedette to {email}.':
    'Jemand, vermutlich du, will die E-Mail-Adresse deines Kontos bei Vedette ändern in {email}.',
  'It changes once the link in the mail to that address is opened. If it was not you, change your password.':
    'Sie ändert sich, sobald der Link in der E-Mail an diese Adresse geöffnet wird. Wenn du es nicht warst, ändere dein Passwort.',
  'The e-mail of your account has changed': 'Die E-Mail-Adresse deines Kontos hat sich geändert',
  'The e-mail of your account at Vedette is {email} now.': 'Die E-Mail-Adresse deines Kontos bei Vedette ist jetzt {email}.',
  'If it was not you, ask an owner of your organization or the operator for help.':
    'Wenn du es nicht warst, bitte einen Inhaber deiner Organisation oder den Betreiber um Hilfe.',
  'Your account was deleted': 'Dein Konto wurde gelöscht',
  'Your account at Vedette was deleted, as you requested. This is the last mail about it.':
    'Dein Konto bei Vedette wurde gelöscht, wie du es wolltest. Das ist die letzte E-Mail dazu.',
  'An API key of {organization} ends at {at}': 'Ein API-Schlüssel von {organization} endet am {at}',
  'The API key "{name}" ({prefix}…) of {organization} ends at {at}. Programs that use it are refused from then on.':
    'Der API-Schlüssel „{name}“ ({prefix}…) von {organization} endet am {at}. Programme, die ihn benutzen, werden dann abgewiesen.',
  'Create another one in the settings, under API keys, and give it to them before.':
    'Erstelle vorher in den Einstellungen unter API-Schlüssel einen anderen und gib ihn den Programmen.',
  // Invitations.
  'Join {name} on Vedette': '{name} bei Vedette beitreten',
  'You are invited to join the organization "{name}" on Vedette, as {~role}. Open this link to accept:':
    'Du bist eingeladen, der Organisation „{name}“ bei Vedette als {~role} beizutreten. Mit diesem Link nimmst du an:',
  '{inviter} invites you to join the organization "{name}" on Vedette, as {~role}. Open this link to accept:':
    '{inviter} lädt dich ein, der Organisation „{name}“ bei Vedette als {~role} beizutreten. Mit diesem Link nimmst du an:',
  'The link can be used once, until {at} UTC. If you did not expect it, ignore this mail.':
    'Der Link gilt einmal, bis {at} UTC. Wenn du ihn nicht erwartet hast, ignoriere diese E-Mail.',
  // Channels.
  'Test of an e-mail channel of Vedette': 'Test eines E-Mail-Kanals von Vedette',
  'Somebody tests whether alerts of this installation of Vedette reach this address:':
    'Jemand prüft, ob Alarme dieser Installation von Vedette diese Adresse erreichen:',
  'If you did not expect it, ignore this mail.': 'Wenn du das nicht erwartet hast, ignoriere diese E-Mail.',
  'Nobody has confirmed this address, so it gets at most {#n} mails a day. Is it yours? Confirm it:':
    'Niemand hat diese Adresse bestätigt, darum bekommt sie höchstens {#n} E-Mails am Tag. Ist es deine? Bestätige sie:',
  'Test of the channel {name}': 'Test des Kanals {name}',
  'Notifications to this channel work.': 'Benachrichtigungen an diesen Kanal kommen an.',
  'Open in Vedette': 'In Vedette öffnen',
  Runbook: 'Runbook',
  'Acknowledge, snooze or resolve': 'Quittieren, pausieren oder lösen',
  // Buttons of chats, and what comes of a press.
  'Snooze 1 h': 'Pause 1 h',
  'Acknowledged for an hour.': 'Für eine Stunde quittiert.',
  'Already {~step}.': 'Schon {~step}.',
  'acknowledged, {at} UTC': 'quittiert, {at} UTC',
  'acknowledged, {at} UTC, until {to} UTC': 'quittiert, {at} UTC, bis {to} UTC',
  'acknowledged by {name}, {at} UTC': 'quittiert von {name}, {at} UTC',
  'acknowledged by {name}, {at} UTC, until {to} UTC': 'quittiert von {name}, {at} UTC, bis {to} UTC',
  'resolved, {at} UTC': 'gelöst, {at} UTC',
  'resolved by {name}, {at} UTC': 'gelöst von {name}, {at} UTC',
  'Your role may not change incidents.': 'Deine Rolle darf Vorfälle nicht ändern.',
  'There is no such incident any more.': 'Diesen Vorfall gibt es nicht mehr.',
  'This button is unknown.': 'Dieser Knopf ist unbekannt.',
  'The incident is open again.': 'Der Vorfall ist wieder offen.',
  'The organization does not let you act on its incidents now.':
    'Die Organisation lässt dich jetzt nicht an ihren Vorfällen handeln.',
  'Who are you? Enter {code} at {url} within 10 minutes, then press again.':
    'Wer bist du? Gib {code} binnen 10 Minuten auf {url} ein und drücke noch einmal.',
} as const satisfies Readonly<Record<string, string>>

/** What stands within those sentences only, and single words of mails, buttons and lists. */
export const MAIL_PARTS = {
  Uptime: 'Verfügbarkeit',
  Incidents: 'Vorfälle',
  'None.': 'Keine.',
  'Slowest monitors': 'Langsamste Monitore',
  'Fullest disks': 'Vollste Datenträger',
  'At the end of the week.': 'Am Ende der Woche.',
  'Most memory in use': 'Meister belegter Speicher',
  'The mean of the week.': 'Im Mittel der Woche.',
  'Health of servers': 'Zustand der Server',
  'Open now': 'Jetzt offen',
  'less than a minute': 'weniger als eine Minute',
  '{~span}, still open': '{~span}, noch offen',
  '{~text}, since {date}': '{~text}, seit {date}',
  '{~text}, since {date}, and {#n} more': '{~text}, seit {date}, und {#n} weitere',
  '{#n} %': '{#n} %',
  open: 'offen',
  resolved: 'gelöst',
  'Nobody is on duty now: incidents go to the owners.': 'Jetzt hat niemand Bereitschaft: Vorfälle gehen an die Inhaber.',
  'Nobody is on duty now until {at}: incidents go to the owners.':
    'Bis {at} hat niemand Bereitschaft: Vorfälle gehen an die Inhaber.',
  '{person} is on duty now.': 'Jetzt hat {person} Bereitschaft.',
  '{person} is on duty now until {at}.': 'Jetzt hat {person} Bereitschaft, bis {at}.',
  'On duty now: {people}.': 'Jetzt haben Bereitschaft: {people}.',
  'On duty now until {at}: {people}.': 'Jetzt haben bis {at} Bereitschaft: {people}.',
  'Your password has changed': 'Dein Passwort hat sich geändert',
  'Two-factor authentication is enabled': 'Die Zwei-Faktor-Anmeldung ist eingeschaltet',
  'Two-factor authentication is disabled': 'Die Zwei-Faktor-Anmeldung ist ausgeschaltet',
  'A passkey was added': 'Ein Passkey wurde hinzugefügt',
  'A passkey was removed': 'Ein Passkey wurde entfernt',
  'Wrong codes of your second factor': 'Falsche Codes deines zweiten Faktors',
  'A session was ended': 'Eine Sitzung wurde beendet',
  'A new API key': 'Ein neuer API-Schlüssel',
  'the command line': 'der Kommandozeile',
  unknown: 'unbekannt',
  owner: 'Inhaber',
  admin: 'Admin',
  member: 'Mitglied',
  viewer: 'Betrachter',
  Acknowledge: 'Quittieren',
  Resolve: 'Lösen',
  'Acknowledged.': 'Quittiert.',
  'Resolved.': 'Gelöst.',
} as const satisfies Readonly<Record<string, string>>
