import { SelectField } from '../../components/field.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { changePreferences, type Theme, usePreferences } from '../../lib/preferences.ts'
import { fullDate, TIME_ZONES } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.profile

/** Who one is, and how this browser shows the page. */
export function Profile() {
  const { me } = useViewer()
  const { theme, timeZone } = usePreferences()
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Panel title={words.title}>
      <p className="mb-4 text-muted">{words.lead}</p>
      <div className="grid gap-5">
        <div>
          <p className="mb-1 font-semibold text-[0.95rem]">{words.theme}</p>
          <Segmented<Theme>
            label={words.theme}
            value={theme}
            options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: text.theme[value] }))}
            onChoose={(chosen) => changePreferences({ theme: chosen })}
          />
        </div>
        <SelectField
          className="max-w-sm"
          label={words.zone}
          value={timeZone}
          onChange={(event) => changePreferences({ timeZone: event.target.value })}
        >
          <option value="browser">{words.browserZone(browserZone)}</option>
          {TIME_ZONES.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        <dl className="max-w-sm">
          <Fact name={words.email}>{me.email}</Fact>
          <Fact name={words.since}>
            <Instant at={me.created_at} format={fullDate} />
          </Fact>
        </dl>
      </div>
    </Panel>
  )
}
