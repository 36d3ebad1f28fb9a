import { SelectField } from '../../components/field.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { browserLanguage, LANGUAGES } from '../../messages/language.ts'
import { changePreferences, type Theme, usePreferences } from '../../lib/preferences.ts'
import { fullDate, TIME_ZONES } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.profile

/** Who one is, and how this browser shows the page. */
export function Profile() {
  const { me } = useViewer()
  const { theme, language, timeZone } = usePreferences()
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Panel title={text.title}>
      <p className="mb-4 text-muted">{text.lead}</p>
      <div className="grid gap-5">
        <div>
          <p className="mb-1 font-semibold text-[0.95rem]">{text.theme}</p>
          <Segmented<Theme>
            label={text.theme}
            value={theme}
            options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: messages.theme[value] }))}
            onChoose={(chosen) => changePreferences({ theme: chosen })}
          />
        </div>
        <SelectField
          className="max-w-sm"
          label={text.language}
          value={language}
          onChange={(event) => {
            changePreferences({ language: event.target.value })
            location.reload()
          }}
        >
          <option value="browser">{text.browserLanguage(LANGUAGES[browserLanguage].name)}</option>
          {Object.entries(LANGUAGES).map(([value, { name }]) => (
            <option key={value} value={value} lang={value}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          className="max-w-sm"
          label={text.zone}
          value={timeZone}
          onChange={(event) => changePreferences({ timeZone: event.target.value })}
        >
          <option value="browser">{text.browserZone(browserZone)}</option>
          {TIME_ZONES.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        <dl className="max-w-sm">
          <Fact name={text.email}>{me.email}</Fact>
          <Fact name={text.since}>
            <Instant at={me.created_at} format={fullDate} />
          </Fact>
        </dl>
      </div>
    </Panel>
  )
}
