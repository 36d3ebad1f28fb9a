import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { browserLanguage, LANGUAGES } from '../../messages/language.ts'
import { changePreferences, type Theme, usePreferences } from '../../lib/preferences.ts'
import { fullDate, timeZones } from '../../lib/time.ts'
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
          {timeZones().map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </SelectField>
        <OwnName />
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

/** What others see next to the e-mail. */
function OwnName() {
  const { me, client } = useViewer()
  const cache = useCache()
  const form = useForm({ name: me.name ?? '' }, async ({ name }) => {
    await client.auth.updateMe({ name: name.trim() === '' ? null : name.trim() })
    toast(messages.done.saved)
    await Promise.all([cache.invalidateViewer(), cache.invalidate('members')])
  })
  return (
    <Form form={form} action={text.saveName} className="max-w-sm">
      <TextField label={text.name} hint={text.nameHint} autoComplete="name" maxLength={MAX_NAME_LENGTH} {...form.field('name')} />
    </Form>
  )
}
