// Echoes over Debian's node-ws. argv: nothing; prints the port it got.
const { WebSocketServer } = require('ws');
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => console.log(server.address().port));
server.on('connection', (link) => {
  link.on('message', (data, isBinary) => {
    const text = isBinary ? '' : data.toString();
    if (text === '"close"') link.close(4000, 'as you wish');
    else link.send(data, { binary: isBinary });
  });
  link.on('error', () => {});
});
