// dynalite on a free port of 127.0.0.1, in memory. It prints its address, and ends with its input.
const { createRequire } = require('node:module')
const path = require('node:path')

const installed = createRequire(path.join(process.argv[2], 'package.json'))
const server = installed('dynalite')({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 })

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.on('end', () => process.exit(0)).resume()
