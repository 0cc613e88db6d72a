module.exports = {baseUrl: '/', presets: [['classic', {docs: {lastVersion: 'current', versions: {current: {label: 'x', path: '3'}, '2.0': {path: 'two'}}}}]]};
