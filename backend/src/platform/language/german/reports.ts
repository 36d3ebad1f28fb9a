/** The page of an uptime report for print. */
export const REPORTS = {
  '{#n} interval reclassified by {name} on {day}': '{#n} Zeitraum umgewertet von {name} am {day}',
  '{#n} intervals reclassified by {name} on {day}': '{#n} Zeiträume umgewertet von {name} am {day}',
  '{#n} interval reclassified by a former user on {day}': '{#n} Zeitraum umgewertet von einem früheren Benutzer am {day}',
  '{#n} intervals reclassified by a former user on {day}': '{#n} Zeiträume umgewertet von einem früheren Benutzer am {day}',
  // What a replay cannot say.
  'only incidents that were really opened are known for this metric, not those of another condition':
    'für diese Metrik sind nur Vorfälle bekannt, die wirklich geöffnet wurden, nicht die einer anderen Bedingung',
  'it is off now: only incidents that it opened while it was on are known':
    'sie ist jetzt aus: nur Vorfälle sind bekannt, die sie öffnete, als sie an war',
  'what was found on servers before {at} is not stored': 'was vor {at} an Servern vorlag, ist nicht gespeichert',
} as const satisfies Readonly<Record<string, string>>

/** Its headings, cells and paragraphs. */
export const REPORT_PARTS = {
  'Uptime report': 'Verfügbarkeitsbericht',
  '{from} to {to}, {zone}. Created {at}.': '{from} bis {to}, {zone}. Erstellt {at}.',
  Monitor: 'Monitor',
  Availability: 'Ohne Wartung',
  Checks: 'Prüfungen',
  Degraded: 'Beeinträchtigt',
  Down: 'Ausgefallen',
  Downtime: 'Ausfallzeit',
  Downtimes: 'Ausfälle',
  'Objective {#n} %': 'Ziel {#n} %',
  'Allowed downtime': 'Erlaubte Ausfallzeit',
  Total: 'Gesamt',
  met: 'erreicht',
  'not met': 'verfehlt',
  'no checks': 'keine Prüfungen',
  Excluded: 'Ausgenommen',
  'Checks in maintenance': 'Prüfungen in Wartung',
  Maintenance: 'Wartung',
  'Checks excluded': 'Ausgenommene Prüfungen',
  'Excluded by people': 'Von Menschen ausgenommen',
  'Inconclusive checks': 'Unklare Prüfungen',
  'Inconclusive (about)': 'Unklar (etwa)',
  Paused: 'Pausiert',
  'No data': 'Keine Daten',
  'Maintenance entered late': 'Verspätet eingetragene Wartung',
  'These windows were created or changed after they had begun. The time before is not left out.':
    'Diese Fenster wurden nach ihrem Beginn erstellt oder geändert. Die Zeit davor ist nicht ausgenommen.',
  Reclassified: 'Umgewertet',
  From: 'Von',
  To: 'Bis',
  As: 'Zählt',
  maintenance: 'als Wartung',
  excluded: 'gar nicht',
  counted: 'trotz Wartungsfenster',
  Duration: 'Dauer',
  'Of it excluded': 'Davon ausgenommen',
  Reason: 'Grund',
  'still down': 'dauert an',
  'began before the range': 'begann vorher',
  '{#n} more.': '{#n} weitere.',
  'How it is computed': 'Wie gerechnet wird',
  'Uptime is the share of conclusive checks of all regions that were not down, truncated to four decimals.':
    'Verfügbarkeit ist der Anteil der Prüfungen aller Regionen, die nicht fehlschlugen, ohne unklare, auf vier Stellen abgeschnitten.',
  'Availability leaves out checks in maintenance windows.': '„Ohne Wartung“ lässt Prüfungen in Wartungsfenstern aus.',
  'Checks that people excluded or called maintenance count for neither.':
    'Prüfungen, die Menschen ausgenommen oder als Wartung gewertet haben, zählen bei beiden nicht.',
  'Degraded checks count as up.': 'Beeinträchtigte Prüfungen gelten als verfügbar.',
  'Durations follow the status of the monitor, without excluded time.':
    'Dauern folgen dem Status des Monitors, ohne ausgenommene Zeit.',
} as const satisfies Readonly<Record<string, string>>
