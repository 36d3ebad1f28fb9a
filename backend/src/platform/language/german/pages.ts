/** Pages that links of messages open, and those between Vedette and an identity provider. */
export const PAGES = {
  'This link is not valid': 'Dieser Link gilt nicht',
  'Too many requests': 'Zu viele Anfragen',
  'Too many came from your address. Try again in {#n} s.':
    'Zu viele kamen von deiner Adresse. Versuche es in {#n} s noch einmal.',
  // Incidents.
  'This incident is {~status}.': 'Dieser Vorfall ist {~status}.',
  'The incident is acknowledged': 'Der Vorfall ist quittiert',
  'The incident is acknowledged for an hour': 'Der Vorfall ist für eine Stunde quittiert',
  'The incident is resolved': 'Der Vorfall ist gelöst',
  'This was done already': 'Das ist schon geschehen',
  'Unknown action': 'Unbekannte Handlung',
  'The comment is too long': 'Der Kommentar ist zu lang',
  'It may have {#n} characters. Nothing was done: go back and shorten it.':
    'Erlaubt sind {#n} Zeichen. Nichts ist geschehen: geh zurück und kürze ihn.',
  'It has expired, or you may not change this incident any more. Sign in to see your incidents.':
    'Er ist abgelaufen, oder du darfst diesen Vorfall nicht mehr ändern. Melde dich an, um deine Vorfälle zu sehen.',
  // Addresses of channels.
  'Confirm this address': 'Diese Adresse bestätigen',
  '{name} wants to send its notifications to {address}.': '{name} möchte Benachrichtigungen an {address} senden.',
  'The address is confirmed': 'Die Adresse ist bestätigt',
  '{address} gets all notifications now.': '{address} bekommt jetzt alle Benachrichtigungen.',
  'Nothing is sent to this address any more.': 'An diese Adresse wird nichts mehr gesendet.',
  // The weekly summary.
  'Turn off the weekly summary?': 'Wochenbericht abschalten?',
  'The weekly summary is off': 'Der Wochenbericht ist abgeschaltet',
  'You can turn it on again in the settings of your account.':
    'In den Einstellungen deines Kontos kannst du ihn wieder einschalten.',
  'Turn the weekly summary off in the settings of your account.':
    'Schalte den Wochenbericht in den Einstellungen deines Kontos ab.',
  // The sign-in by an identity provider.
  'Go to {host}?': 'Zu {host} gehen?',
  'You leave Vedette for {host}.': 'Du verlässt Vedette und gehst zu {host}.',
  'You are not signed in': 'Du bist nicht angemeldet',
  'The address of this page is not complete.': 'Die Adresse dieser Seite ist nicht vollständig.',
  'Another site led here. Please begin at the sign-in page of Vedette.':
    'Eine andere Website hat hierher geführt. Bitte beginne auf der Anmeldeseite von Vedette.',
  'This sign-in was not begun in this browser, or it took too long. Please start again.':
    'Diese Anmeldung wurde nicht in diesem Browser begonnen, oder sie hat zu lange gedauert. Bitte fang noch einmal an.',
  'The sign-in failed: the answer of the identity provider is not valid. Please start again.':
    'Die Anmeldung ist fehlgeschlagen: die Antwort des Identitätsanbieters ist ungültig. Bitte fang noch einmal an.',
  'The identity provider cannot be used right now. Please try again, or ask your administrator.':
    'Der Identitätsanbieter lässt sich gerade nicht benutzen. Versuche es noch einmal, oder frage deinen Administrator.',
  'The identity provider cannot be reached right now. Please try again.':
    'Der Identitätsanbieter ist gerade nicht erreichbar. Bitte versuche es noch einmal.',
  'The identity provider sent no e-mail that it has verified.':
    'Der Identitätsanbieter hat keine E-Mail-Adresse gesendet, die er geprüft hat.',
  'The identity provider may not sign in people with an e-mail of this domain.':
    'Der Identitätsanbieter darf niemanden mit einer E-Mail-Adresse dieser Domain anmelden.',
  'There is no account with your e-mail in this organization. Ask an administrator to invite you.':
    'In dieser Organisation gibt es kein Konto mit deiner E-Mail-Adresse. Bitte einen Administrator um eine Einladung.',
  'The identity provider may not sign in this account: sign in with its password, or ask to be invited.':
    'Der Identitätsanbieter darf dieses Konto nicht anmelden: melde dich mit dem Passwort an, oder bitte um eine Einladung.',
  'Owners sign in with their password.': 'Inhaber melden sich mit ihrem Passwort an.',
  'The account with this e-mail is of another person at the identity provider.':
    'Das Konto mit dieser E-Mail-Adresse gehört beim Identitätsanbieter einer anderen Person.',
  'The plan {plan} allows {#n} members.': 'Der Tarif {plan} erlaubt {#n} Mitglieder.',
  'There is nothing here under this name.': 'Unter diesem Namen gibt es hier nichts.',
  'Too many requests. Try again in {#n} s.': 'Zu viele Anfragen. Versuche es in {#n} s noch einmal.',
  'Too many requests need this work right now. Please try again.':
    'Zu viele Anfragen brauchen das gerade. Bitte versuche es noch einmal.',
  'The service cannot reach its database right now. Please try again.':
    'Der Dienst erreicht gerade seine Datenbank nicht. Bitte versuche es noch einmal.',
  'Something went wrong on our side.': 'Bei uns ist etwas schiefgegangen.',
} as const satisfies Readonly<Record<string, string>>

/** Links and buttons. */
export const PAGE_PARTS = {
  Comment: 'Kommentar',
  Confirm: 'Bestätigen',
  'Snooze for 1 hour': 'Für 1 Stunde pausieren',
  'Turn off': 'Abschalten',
  'Open the incident': 'Vorfall öffnen',
  'Go to {host}': 'Zu {host} gehen',
  'Back to Vedette': 'Zurück zu Vedette',
  'Back to the sign-in': 'Zurück zur Anmeldung',
} as const satisfies Readonly<Record<string, string>>
