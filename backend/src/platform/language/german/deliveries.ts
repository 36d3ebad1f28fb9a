/** Why a channel accepted no message; what a service answered stays as it is. */
export const DELIVERIES = {
  'the service answered {#n}': 'der Dienst antwortete {#n}',
  'the service answered {#n}: {answer}': 'der Dienst antwortete {#n}: {answer}',
  'no response within {#n} s': 'keine Antwort innerhalb von {#n} s',
  'more than {#n} redirects': 'mehr als {#n} Weiterleitungen',
  'the redirect is not a URL': 'die Weiterleitung ist keine URL',
  'the redirect leads to another origin': 'die Weiterleitung führt zu einem anderen Ursprung',
  'the redirect leads to another origin, and the message has a secret':
    'die Weiterleitung führt zu einem anderen Ursprung, und die Nachricht enthält ein Geheimnis',
  'the target is not http or https': 'das Ziel ist weder http noch https',
  'the response is not valid HTTP': 'die Antwort ist kein gültiges HTTP',
  'the connection was lost ({code})': 'die Verbindung ging verloren ({code})',
  'this version does not support {type} channels': 'diese Version kennt keine Kanäle vom Typ {type}',
  'no mail server is configured (VEDETTE_SMTP_URL)': 'kein Mailserver ist eingerichtet (VEDETTE_SMTP_URL)',
  'the template of the body failed: {fault}': 'die Vorlage des Inhalts schlug fehl: {fault}',
  '{to}, or the organization, has got too many mails today. Nobody has confirmed the address: open the link in a mail that it has got.':
    '{to} oder die Organisation hat heute zu viele E-Mails bekommen. Niemand hat die Adresse bestätigt: öffne den Link in einer E-Mail, die sie bekam.',
} as const satisfies Readonly<Record<string, string>>
