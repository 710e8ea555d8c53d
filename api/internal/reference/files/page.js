// Shows the API's document with Swagger UI, and signs its requests with the token that Studio keeps.
'use strict'

function stored(storage, key) {
  try {
    return storage.getItem(key) ?? ''
  } catch {
    return '' // storage is blocked
  }
}

const token = stored(sessionStorage, 'stepgraph.token') || stored(localStorage, 'stepgraph.token')
const base = new URL('.', document.baseURI).href.replace(/\/$/, '')
const systemDark = matchMedia('(prefers-color-scheme: dark)')

function chosenTheme() {
  try {
    return JSON.parse(stored(localStorage, 'stepgraph.looks')).theme
  } catch {
    return 'system'
  }
}

function applyTheme() {
  const theme = chosenTheme()
  document.documentElement.classList.toggle('dark-mode', theme === 'dark' || (theme !== 'light' && systemDark.matches))
}

function note(text, link) {
  const p = document.createElement('p')
  p.className = 'note'
  p.setAttribute('role', 'alert')
  p.append(text)
  if (link) {
    const a = document.createElement('a')
    a.href = './'
    a.textContent = link
    p.append(' ', a)
  }
  document.getElementById('reference').replaceChildren(p)
}

async function show() {
  let response
  try {
    response = await fetch(`${base}/openapi.json`, { headers: token ? { Authorization: `Bearer ${token}` } : {} })
  } catch {
    note('The server cannot be reached.')
    return
  }
  if (response.status === 401 || response.status === 403) {
    note('This server shows its API to those who are signed in.', 'Sign in to Studio, then come back.')
    return
  }
  if (!response.ok) {
    note(`The server answered with status ${response.status}.`)
    return
  }
  const text = await response.text()
  const link = document.getElementById('document') // a link of its own would go without the token
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const spec = JSON.parse(text)
  spec.servers = [{ url: base, description: 'this server' }]
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'model',
    filter: true,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor(request) {
      if (token && !request.headers.Authorization && !request.headers['X-API-KEY'] && request.url.startsWith(base + '/')) request.headers.Authorization = `Bearer ${token}`
      return request
    },
    onComplete() {
      performance.mark('reference:shown')
    },
  })
}

applyTheme()
systemDark.addEventListener('change', applyTheme)
void show()
