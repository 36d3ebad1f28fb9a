/**
 * The German of every sentence that the server makes, by the English one, which is what is stored. `{name}` stands for a text of others,
 * `{#n}` for a number, with a comma in German, and `{~part}` for a sentence of this table.
 */
export const GERMAN = {
  // Findings.
  'Disk {name} reports that it is failing': 'Datenträger {name} meldet, dass er ausfällt',
  'Disk {name} has {#n} reallocated sectors (limit {#limit})':
    'Datenträger {name}: {#n} Sektoren wurden ersetzt (Grenze {#limit})',
  'Disk {name} has {#n} sectors that it cannot read (limit {#limit})':
    'Datenträger {name}: {#n} Sektoren sind nicht lesbar (Grenze {#limit})',
  'Disk {name} has counted {#n} media errors (limit {#limit})': 'Datenträger {name}: {#n} Medienfehler (Grenze {#limit})',
  'Disk {name} has used {#n} % of its rated life (limit {#limit} %)':
    'Datenträger {name}: {#n} % der Lebensdauer sind verbraucht (Grenze {#limit} %)',
  'Disk {name} has {#n} % of its spare blocks left (limit {#limit} %)':
    'Datenträger {name}: noch {#n} % der Reserveblöcke (Grenze {#limit} %)',
  'Array {name} is degraded': 'Verbund {name} ist beeinträchtigt',
  'Array {name} is degraded: {#n} of {all} devices are missing':
    'Verbund {name} ist beeinträchtigt: {#n} von {all} Geräten fehlen',
  'Pool {name} has counted {#n} error': 'Pool {name}: {#n} Fehler',
  'Pool {name} has counted {#n} errors': 'Pool {name}: {#n} Fehler',
  'Pool {name} is {state}': 'Pool {name}: Zustand {state}',
  '{name} is {#n} % full (limit {#limit} %)': '{name}: zu {#n} % voll (Grenze {#limit} %)',
  '{name} has used {#n} % of its inodes (limit {#limit} %)': '{name}: {#n} % der Inodes sind belegt (Grenze {#limit} %)',
  '{name} is full in {#n} day if it grows as it did': '{name}: voll in {#n} Tag, wenn es so weitergeht',
  '{name} is full in {#n} days if it grows as it did': '{name}: voll in {#n} Tagen, wenn es so weitergeht',
  'Memory {name} has counted {#n} uncorrected error since the start':
    'Speicher {name}: {#n} nicht behobener Fehler seit dem Start',
  'Memory {name} has counted {#n} uncorrected errors since the start':
    'Speicher {name}: {#n} nicht behobene Fehler seit dem Start',
  'Memory {name} corrects {#n} errors a day (limit {#limit})': 'Speicher {name}: {#n} behobene Fehler am Tag (Grenze {#limit})',
  '{name} is at {#n} °C (critical limit {#limit} °C)': '{name}: {#n} °C (kritische Grenze {#limit} °C)',
  'The battery of UPS {name} is low': 'Die Batterie der USV {name} ist schwach',
  'The battery of UPS {name} is at {#n} % (limit {#limit} %)': 'Die Batterie der USV {name}: {#n} % (Grenze {#limit} %)',
  'UPS {name} runs on battery': 'USV {name}: Batteriebetrieb',
  'UPS {name} runs on battery, which is at {#n} %': 'USV {name}: Batteriebetrieb, Ladung {#n} %',
  'Unit {name} has failed': 'Dienst {name}: fehlgeschlagen',
  '{#n} more unit has failed': '{#n} weiterer Dienst: fehlgeschlagen',
  '{#n} more units have failed': '{#n} weitere Dienste: fehlgeschlagen',
  'Container {name} was killed for lack of memory {#n} time in the last 24 hours':
    'Container {name}: in den letzten 24 Stunden {#n}-mal aus Speichermangel beendet',
  'Container {name} was killed for lack of memory {#n} times in the last 24 hours':
    'Container {name}: in den letzten 24 Stunden {#n}-mal aus Speichermangel beendet',
  'The kernel killed {#n} process of container {name} for lack of memory':
    'Der Kernel hat {#n} Prozess aus Speichermangel beendet, in Container {name}',
  'The kernel killed {#n} processes of container {name} for lack of memory':
    'Der Kernel hat {#n} Prozesse aus Speichermangel beendet, in Container {name}',
  'The health check of container {name} fails': 'Container {name}: die Prüfung seines Zustands schlägt fehl',
  'Container {name} restarts: it ended {#n} times in 15 minutes':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten',
  'Container {name} restarts: it ended {#n} times in 15 minutes, exit code {code}':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten, Code {code}',
  'Container {name} restarts: it ended {#n} time in 15 minutes':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten',
  'Container {name} restarts: it ended {#n} time in 15 minutes, exit code {code}':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten, Code {code}',
  'Container {name} has ended and does not run': 'Container {name}: beendet, läuft nicht',
  'Container {name} has ended and does not run, exit code {code}': 'Container {name}: beendet, läuft nicht, Code {code}',
  'All tasks wait for memory {#n} % of the time (limit {#limit} %)':
    'Alle Prozesse warten {#n} % der Zeit auf Speicher (Grenze {#limit} %)',
  "The kernel's {~what} is {#n} % full (limit {#limit} %)": 'Kernel, {~what}: zu {#n} % voll (Grenze {#limit} %)',
  'connection tracking table': 'Tabelle der Verbindungen',
  'table of open files': 'Tabelle offener Dateien',
  'table of processes': 'Tabelle der Prozesse',
  'The clock is {#n} s off (limit {#limit} s)': 'Die Uhr geht {#n} s falsch (Grenze {#limit} s)',
  'The agent dropped samples that it could not deliver: {#n} since its installation':
    'Der Agent hat Messwerte verworfen, die er nicht zustellen konnte: {#n} seit seiner Einrichtung',
  'The agent skipped damaged records of its spool: {#n} since its installation':
    'Der Agent hat beschädigte Einträge seines Puffers übersprungen: {#n} seit seiner Einrichtung',
  '{#n} security update of {name} is pending': '{#n} Sicherheitsaktualisierung steht aus ({name})',
  '{#n} security updates of {name} are pending': '{#n} Sicherheitsaktualisierungen stehen aus ({name})',
  'An update needs a restart of the host': 'Eine Aktualisierung verlangt einen Neustart',
  // Names of default rules.
  'Disk failing': 'Datenträger fällt aus',
  'Array degraded': 'Verbund beeinträchtigt',
  'Pool degraded': 'Pool beeinträchtigt',
  'Filesystem full': 'Dateisystem voll',
  'Inodes used up': 'Inodes aufgebraucht',
  'Memory errors': 'Speicherfehler',
  'Temperature critical': 'Temperatur kritisch',
  'UPS battery low': 'USV-Batterie schwach',
  'UPS on battery': 'USV im Batteriebetrieb',
  'Unit failed': 'Dienst fehlgeschlagen',
  'Container out of memory': 'Container ohne Speicher',
  'Container unhealthy': 'Container nicht gesund',
  'Container restarting': 'Container startet immer neu',
  'Container exited': 'Container beendet',
  'Filesystem full soon': 'Dateisystem bald voll',
  'Disk worn': 'Datenträger verschlissen',
  'Memory pressure': 'Speicherdruck',
  'Kernel limit': 'Kernel-Grenze',
  'Clock off': 'Uhr geht falsch',
  'Samples dropped': 'Messwerte verworfen',
  'Security updates pending': 'Sicherheitsaktualisierungen stehen aus',
  'Restart required': 'Neustart nötig',
  'Monitor down': 'Monitor ausgefallen',
  'Server offline': 'Server nicht erreichbar',
  'Filesystem above 90 %': 'Dateisystem über 90 %',
  'Memory above 95 %': 'Speicher über 95 %',
  // Titles of incidents, and why they ended.
  '{name}: no longer found: {~what}': '{name}: nicht mehr gefunden: {~what}',
  '{name} is offline (last seen {clock})': '{name}: nicht erreichbar (zuletzt gesehen {clock})',
  '{name} is online (last seen {clock})': '{name}: wieder erreichbar (zuletzt gesehen {clock})',
  '{name} has not sent a sample (registered {clock})': '{name}: noch keine Messwerte (angemeldet {clock})',
  '{name} is down: {~why}': '{name}: ausgefallen: {~why}',
  '{name} is degraded: {~why}': '{name}: beeinträchtigt: {~why}',
  '{name} is up: {~why}': '{name}: läuft wieder: {~why}',
  '{name} is slow: {#n} {unit} mean over {span} (threshold {#limit} {of})':
    '{name}: langsam: {#n} {unit} im Mittel über {span} (Schwelle {#limit} {of})',
  '{name} is slow: {#n} {unit} (threshold {#limit} {of})': '{name}: langsam: {#n} {unit} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} mean over {span} (threshold {#limit} {of})':
    '{name}: {~what} {#n} {unit} im Mittel über {span} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold {#limit} {of})': '{name}: {~what} {#n} {unit} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} mean over {span} (threshold: below {#limit} {of})':
    '{name}: {~what} {#n} {unit} im Mittel über {span} (Schwelle: unter {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold: below {#limit} {of})': '{name}: {~what} {#n} {unit} (Schwelle: unter {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold: equal to {#limit} {of})':
    '{name}: {~what} {#n} {unit} (Schwelle: gleich {#limit} {of})',
  '{name}: {what} {#n} mean over {span} (threshold {#limit})': '{name}: {what} {#n} im Mittel über {span} (Schwelle {#limit})',
  '{name}: {what} {#n} (threshold {#limit})': '{name}: {what} {#n} (Schwelle {#limit})',
  '{name}: {what} {#n} mean over {span} (threshold: below {#limit})':
    '{name}: {what} {#n} im Mittel über {span} (Schwelle: unter {#limit})',
  '{name}: {what} {#n} (threshold: below {#limit})': '{name}: {what} {#n} (Schwelle: unter {#limit})',
  '{name}: {what} {#n} (threshold: equal to {#limit})': '{name}: {what} {#n} (Schwelle: gleich {#limit})',
  '{name}: {mount} is {#n} % full (threshold {#limit} %)': '{name}: {mount} zu {#n} % voll (Schwelle {#limit} %)',
  '{name}: {mount} is {#n} % full mean over {span} (threshold {#limit} %)':
    '{name}: {mount} zu {#n} % voll, im Mittel über {span} (Schwelle {#limit} %)',
  '{name}: certificate expires in {#n} days (threshold: below {#limit} days)':
    '{name}: Zertifikat läuft in {#n} Tagen ab (Schwelle: unter {#limit} Tage)',
  'response time': 'Antwortzeit',
  memory: 'Speicher',
  '{name} needs a restart': '{name}: Neustart nötig',
  '{name} needs no restart': '{name}: kein Neustart nötig',
  '{name}: no failed units': '{name}: keine fehlgeschlagenen Dienste',
  '{name}: no process is missing': '{name}: alle Prozesse laufen',
  '{name}: {#n} failed unit: {names}': '{name}: {#n} fehlgeschlagener Dienst: {names}',
  '{name}: {#n} failed units: {names}': '{name}: {#n} fehlgeschlagene Dienste: {names}',
  '{name}: process {names} is missing': '{name}: Prozess {names} fehlt',
  '{name}: {#n} processes are missing: {names}': '{name}: {#n} Prozesse fehlen: {names}',
  '{name}: {~what} is full in {#n} days ({#from} to {#to}; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Tagen ({#from} bis {#to}; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} hours ({#from} to {#to}; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Stunden ({#from} bis {#to}; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} days ({#from} or more; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Tagen ({#from} oder mehr; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} hours ({#from} or more; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Stunden ({#from} oder mehr; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} does not fill as it did (threshold: below {#limit} days)':
    '{name}: {~what} füllt sich nicht mehr wie zuvor (Schwelle: unter {#limit} Tage)',
  '{name}: no checks in the last {span}': '{name}: keine Prüfungen in {span}',
  '{name}: burn rate {#n} over {span} (threshold {#limit}, {#bad} of {#all} checks bad)':
    '{name}: Fehlerbudget {#n}-fach verbraucht über {span} (Schwelle {#limit}, {#bad} von {#all} Prüfungen schlecht)',
  '{name}: burn rate {#n} over {span} (threshold {#limit}, {#bad} of {#all} checks bad; one bad check is enough, there are too few to decide)':
    '{name}: Fehlerbudget {#n}-fach verbraucht über {span} (Schwelle {#limit}, {#bad} von {#all} Prüfungen schlecht; eine schlechte genügt, für mehr sind es zu wenige)',
  'the rule was changed': 'die Regel wurde geändert',
  'the rule was deleted': 'die Regel wurde gelöscht',
  'the rule no longer applies': 'die Regel gilt nicht mehr',
  'the monitor was deleted': 'der Monitor wurde gelöscht',
  'the server was deleted': 'der Server wurde gelöscht',
  'the SLO was changed': 'das SLO wurde geändert',
  'the SLO was deleted': 'das SLO wurde gelöscht',
  'the monitor was paused': 'der Monitor wurde angehalten',
  // Steps of incidents.
  acknowledged: 'quittiert',
  'acknowledged until {at}': 'quittiert bis {at}',
  'resolved manually': 'von Hand gelöst',
  'opened again: it was acknowledged, but is not resolved': 'wieder geöffnet: quittiert, aber nicht gelöst',
  'notifications suppressed by the maintenance window {name}': 'Benachrichtigungen unterdrückt, Wartungsfenster {name}',
  'notifications suppressed: server {name} is offline': 'Benachrichtigungen unterdrückt: Server {name} nicht erreichbar',
  'notifications suppressed: monitor {name} is down': 'Benachrichtigungen unterdrückt: Monitor {name} ausgefallen',
  'notifications resumed': 'Benachrichtigungen wieder an',
  'notified after the next check of what it depends on': 'Benachrichtigung nach der nächsten Prüfung dessen, wovon es abhängt',
  'flapping, {#n} incidents in the last hour: notified if it lasts 5 minutes':
    'wechselt ständig, {#n} Vorfälle in einer Stunde: Benachrichtigung nach 5 Minuten Dauer',
  '{#n} changes of the status within an hour': '{#n} Wechsel des Status in einer Stunde',
  'the status is {~status} without a further change': 'der Status bleibt {~status}',
  up: 'in Ordnung',
  down: 'ausgefallen',
  degraded: 'beeinträchtigt',
  'step {#n} of {name}: nobody can be reached': 'Stufe {#n} von {name}: niemand ist erreichbar',
  'step {#n} of {name}: {names}': 'Stufe {#n} von {name}: {names}',
  // Messages.
  'Flapping: {~what}': 'Wechselt ständig: {~what}',
  'No longer flapping: {~what}': 'Wechselt nicht mehr: {~what}',
  'Acknowledged: {~what}': 'Quittiert: {~what}',
  'Resolved: {~what}': 'Gelöst: {~what}',
  'Still open: {~what}': 'Noch offen: {~what}',
  'critical: {~what}': 'kritisch: {~what}',
  'warning: {~what}': 'Warnung: {~what}',
  'info: {~what}': 'Hinweis: {~what}',
  'severity: {~what}': 'Schwere: {~what}',
  critical: 'kritisch',
  warning: 'Warnung',
  info: 'Hinweis',
  'monitor: {name}': 'Monitor: {name}',
  'server: {name}': 'Server: {name}',
  'slo: {name}': 'SLO: {name}',
  'opened: {at}': 'geöffnet: {at}',
  'resolved: {at}': 'gelöst: {at}',
  'since: {at}': 'seit: {at}',
  'event: {type}': 'Ereignis: {type}',
  '{#n} incidents opened': '{#n} Vorfälle geöffnet',
  '{#n} incidents resolved': '{#n} Vorfälle gelöst',
  '{#n} incidents: {~what}': '{#n} Vorfälle: {~what}',
  'and {#n} more': 'und {#n} weitere',
  // Why incidents are one story.
  'servers with the tag {tag} are offline': 'Server mit dem Tag {tag} sind nicht erreichbar',
  'the error budget of {name} burns too fast': 'das Fehlerbudget von {name} wird zu schnell verbraucht',
  'several rules on {name}': 'mehrere Regeln zu {name}',
  'what depends on {name}': 'was von {name} abhängt',
  // Why a status changed.
  'the checks pass again': 'die Prüfungen gelingen wieder',
  '{#n} of {#all} regions up': '{#n} von {#all} Regionen in Ordnung',
  '{#n} of {#all} regions down': '{#n} von {#all} Regionen ausgefallen',
  '{#n} of {#all} regions down: {~why}': '{#n} von {#all} Regionen ausgefallen: {~why}',
  '{#n} of {#all} regions degraded': '{#n} von {#all} Regionen beeinträchtigt',
  '{#n} of {#all} regions degraded: {~why}': '{#n} von {#all} Regionen beeinträchtigt: {~why}',
  'status {#n} (expected 200–399)': 'Status {#n} (erwartet 200–399)',
  'status {#n} (expected {#limit})': 'Status {#n} (erwartet {#limit})',
  'response time {#n} ms (expected below {#limit} ms)': 'Antwortzeit {#n} ms (erwartet unter {#limit} ms)',
  'certificate expiry in {#n} days (expected above {#limit} days)':
    'Zertifikat läuft in {#n} Tagen ab (erwartet nach {#limit} Tagen)',
  'no connection within {#n} ms': 'keine Verbindung innerhalb von {#n} ms',
  'no answer within {#n} s: still waiting for {what}': 'keine Antwort innerhalb von {#n} s: wartet auf {what}',
  'the job reported a failure': 'der Auftrag meldete einen Fehler',
  'the job ended with exit code {code}': 'der Auftrag endete mit Code {code}',
  'no ping since {at} (expected {schedule})': 'kein Ping seit {at} (erwartet {schedule})',
} as const satisfies Readonly<Record<string, string>>
