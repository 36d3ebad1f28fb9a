import { MAX_LOGO_BYTES } from '@vedette/shared/tables'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { bytes } from '../../lib/format.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { isLogo } from './input.ts'

const text = statusPages
const LIMIT = bytes(MAX_LOGO_BYTES)

interface Props {
  /** A data URI; empty: none. */
  logo: string
  error: string | undefined
  onChange: (logo: string) => void
}

/** The image becomes a data URI of the page: no other server is asked for it. */
export function LogoField({ logo, error, onChange }: Props) {
  const [hasFault, setFault] = useState(false)
  const choose = (file: File | undefined) => {
    if (!file) return
    setFault(!isLogo(file))
    if (!isLogo(file)) return
    const reader = new FileReader()
    reader.addEventListener('load', () => typeof reader.result === 'string' && onChange(reader.result))
    reader.readAsDataURL(file)
  }
  return (
    <div className="grid content-start gap-2 sm:col-span-2">
      <Field label={text.logo} hint={text.logoHint(LIMIT)} error={hasFault ? text.logoFault(LIMIT) : error}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
            onChange={({ target }) => choose(target.files?.[0])}
            className="field max-w-md py-1.5"
          />
        )}
      </Field>
      {logo !== '' && (
        <p className="flex items-center gap-3">
          <img src={logo} alt={text.logo} className="max-h-12 max-w-48" />
          <Button small onClick={() => onChange('')}>
            {text.removeLogo}
          </Button>
        </p>
      )}
    </div>
  )
}
